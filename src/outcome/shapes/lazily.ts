import { Type, type TSchema, type TUnsafe } from 'typebox';
import { list, type Plain } from '../../model/shape.ts';
import type { LazyList } from '../lazy.ts';

/** A list that may be long, so that it is not held in memory. */
export function lazily<Item extends TSchema>(
  item: Item,
  description?: string,
): TUnsafe<LazyList<Plain<Item>>> {
  return Type.Unsafe<LazyList<Plain<Item>>>(list(item, description));
}
