import { checkable, compileShapes } from '../../model/compile-shape.ts';
import { savedPlan } from './plan-shape.ts';

/** The shape of saved plans. */
export const shapes = { 'gwconf/plan@1': checkable(savedPlan) };

/** Their checks; the build replaces this file by compiled ones. */
export const checks = compileShapes(shapes);
