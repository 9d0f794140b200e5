/** Addresses as they may be shown: without what opens them. */
import { changeUrl } from '../db/postgres/host-list.ts';

const SECRET_PARAMETERS = ['password', 'sslpassword'];

/** For a command line to paste: the program it goes to asks for the password. */
export function withoutPassword(address: string): string {
  return changed(address, '');
}

/** For reading: one sees that there is a password. */
export function withMaskedPassword(address: string): string {
  return changed(address, '***');
}

function changed(address: string, replacement: string): string {
  let isChanged = false;
  const without = changeUrl(address, (url) => {
    const named = SECRET_PARAMETERS.filter((name) => url.searchParams.has(name));
    isChanged = url.password !== '' || named.length > 0;
    if (url.password !== '') url.password = replacement;
    for (const name of named) {
      if (replacement) url.searchParams.set(name, replacement);
      else url.searchParams.delete(name);
    }
  });
  return isChanged ? without : address;
}
