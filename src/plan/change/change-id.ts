/** Names one change of a plan: its address, or the address and what the extra step is for. */
export type ChangeId = string & { readonly __brand: 'ChangeId' };
