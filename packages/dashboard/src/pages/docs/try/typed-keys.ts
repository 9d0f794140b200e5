/** Keys that were typed to try a call: in the memory of this page, gone when it is left, and never written anywhere. */
import { useState } from 'react';

export interface TypedKeys {
  readonly of: (scheme: string) => string;
  readonly set: (scheme: string, key: string) => void;
}

export function useTypedKeys(): TypedKeys {
  const [keys, setKeys] = useState<Readonly<Record<string, string>>>({});
  return {
    of: (scheme) => keys[scheme] ?? '',
    set: (scheme, key) => setKeys((before) => ({ ...before, [scheme]: key })),
  };
}
