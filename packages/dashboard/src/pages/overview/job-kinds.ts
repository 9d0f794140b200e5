import type { Job } from '@commonplace/client';

export const jobKinds: Readonly<Record<Job['kind'], string>> = {
  'extract-memories': 'Memory extraction',
  'regenerate-memories': 'Rebuilding of memories',
  'index-document': 'Document indexing',
  'embed-texts': 'Embeddings',
};
