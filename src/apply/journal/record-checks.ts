import { compileShapes, tolerant } from '../../model/compile-shape.ts';
import { record } from './record-shape.ts';

/** The shape of a line of a journal: a later version may add fields, but times are read. */
export const shapes = { 'gwconf/journal@1': tolerant(record, () => true) };

/** Its check; the build replaces this file by a compiled one. */
export const checks = compileShapes(shapes);
