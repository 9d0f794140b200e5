/** What is worth keeping. */

import type { Gate } from './candidate.ts';

/** What a rule knows. */
export const passRuled: Gate = ({ finding, ruled }) => (ruled ? finding : undefined);
