import { checkable, compileShapes, tolerant } from '../../model/compile-shape.ts';
import { savedPlan } from './plan-shape.ts';
import { snapshot } from './snapshot-shape.ts';

/** The shapes of saved plans and of snapshots. */
export const shapes = {
  'gwconf/plan@1': checkable(savedPlan),
  'gwconf/snapshot@1': tolerant(snapshot),
};

/** Their checks; the build replaces this file by compiled ones. */
export const checks = compileShapes(shapes);
