/** The platforms that the service is packed for. */
export interface Platform {
  readonly os: 'linux' | 'darwin';
  readonly cpu: 'x64' | 'arm64';
}

export const platforms: readonly Platform[] = [
  { os: 'linux', cpu: 'x64' },
  { os: 'linux', cpu: 'arm64' },
  { os: 'darwin', cpu: 'arm64' },
];

/** The one of this machine. */
export function platformHere(): Platform {
  const here = platforms.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
  if (!here) throw new Error(`The service is not packed for ${process.platform} on ${process.arch}`);
  return here;
}

/** The package.json of a package for one platform. */
export interface PlatformManifest {
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

/** What a package says, so that npm installs it only where it works. */
export function limitsOf({ os, cpu }: Platform): object {
  // What is built for Linux needs the C library of GNU.
  return { os: [os], cpu: [cpu], ...(os === 'linux' && { libc: ['glibc'] }) };
}
