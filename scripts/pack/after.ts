/** After `npm pack` and `npm publish` of packages/server: this repository's manifest is back. */
import { restoreManifest } from './places.ts';

restoreManifest();
