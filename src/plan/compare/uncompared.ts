import type { Pointer } from '../../model/json/json.ts';
import type { Address } from '../../model/resource.ts';

/** What could not be compared: a kind that one side does not have, or a field whose value is not known. */
export type Uncompared =
  | {
      readonly reason: 'unavailable';
      readonly side: 'from' | 'to';
      readonly kind: string;
      readonly words: string;
    }
  | {
      readonly reason: 'cannot-tell';
      readonly address: Address;
      readonly path: Pointer;
      /** A variable has no value here, or the secret of a snapshot is known as a digest only. */
      readonly because: 'variable' | 'digest';
    };
