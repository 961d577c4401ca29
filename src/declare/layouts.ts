/** How documents are spread over files. */
export const LAYOUTS = ['by-virtual-cluster', 'by-kind', 'one-file'] as const;
export type Layout = (typeof LAYOUTS)[number];
