/** After `npm pack` of packages/server: this repository's manifest is back. */
import { restoreManifest } from './places.ts';

restoreManifest();
