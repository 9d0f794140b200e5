/** In place of a slot: there is none. */
export const NONE = -1;
