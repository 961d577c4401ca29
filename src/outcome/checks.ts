import { compileShapes, tolerant } from '../model/compile-shape.ts';
import { applyReport } from './shapes/run.ts';
import { driftReport } from './shapes/compare.ts';
import { fleetReport } from './shapes/fleet.ts';
import { planReport } from './shapes/plan.ts';
import { validateReport } from './shapes/files.ts';

/** The shapes of outcomes that are read back, by their formats. */
export const shapes = {
  'gwconf/plan-report@1': tolerant(planReport),
  'gwconf/apply-report@1': tolerant(applyReport),
  'gwconf/drift-report@1': tolerant(driftReport),
  'gwconf/validate-report@1': tolerant(validateReport),
  'gwconf/fleet-report@1': tolerant(fleetReport),
};

/** Their checks; the build replaces this file by compiled ones. */
export const checks = compileShapes(shapes);
