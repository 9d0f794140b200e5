/** What the kinds of jobs are called on every page. In the first load: keep it small. */
import type { Job } from '@commonplace/client';

export const jobKindNames: Readonly<Record<Job['kind'], string>> = {
  'index-document': 'Document indexing',
  'extract-memories': 'Memory extraction',
  'regenerate-memories': 'Memory regeneration',
  'embed-texts': 'Embedding of texts',
};

export const jobKinds = Object.keys(jobKindNames) as readonly Job['kind'][];
