import type { WorkspaceResources } from '@commonplace/client';
import type { ExampleDocument } from './content/documents.ts';
import { EXAMPLE_DOCUMENT_LABEL, EXAMPLE_ID_PREFIX, isExampleDocument } from './marks.ts';

/** An upload takes the place of what has the same id: so it is looked first whose that is. */
export async function fillDocument(workspace: WorkspaceResources, example: ExampleDocument): Promise<void> {
  const { id, filename, title, topic, text } = example;
  const externalId = EXAMPLE_ID_PREFIX + id;
  const [existing] = (await workspace.documents.list({ externalId })).data;
  if (existing && !isExampleDocument(existing))
    throw new Error(`The document “${existing.title}” has the id ${externalId} and is not example data.`);
  const labels = [EXAMPLE_DOCUMENT_LABEL, `topic=${topic}`];
  await workspace.documents.upload(new Blob([text]), { externalId, filename, title, labels });
}
