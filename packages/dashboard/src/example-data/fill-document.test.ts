import type { Document, WorkspaceResources } from '@commonplace/client';
import { expect, test } from 'vitest';
import { exampleDocuments } from './content/documents.ts';
import { fillDocument } from './fill-document.ts';
import { findExampleDocuments } from './find.ts';

const [example] = exampleDocuments as [(typeof exampleDocuments)[number]];
const ours = { id: 'ours', title: 'Our terms', labels: ['topic=delivery'] } as Document;
const theirs = { id: 'example', title: 'Delivery terms', labels: ['topic=delivery', 'example=true'] } as Document;

/** Has this document under an id of the example. */
function workspaceWith(document: Document | undefined) {
  const uploaded: unknown[] = [];
  const documents = {
    list: async ({ externalId }: { externalId: string }) => ({
      data: document && externalId === `example-${example.id}` ? [document] : [],
    }),
    upload: async (_: Blob, fields: unknown) => void uploaded.push(fields),
  };
  return { workspace: { documents } as unknown as WorkspaceResources, uploaded };
}

test('a document of a team is not written over, whatever its id', async () => {
  const { workspace, uploaded } = workspaceWith(ours);
  await expect(fillDocument(workspace, example)).rejects.toThrow('“Our terms” has the id example-delivery-terms and is not example data');
  expect(uploaded).toEqual([]);
});

test.each([undefined, theirs])('a document of the example is written where there is none, or it is there already', async (document) => {
  const { workspace, uploaded } = workspaceWith(document);
  await fillDocument(workspace, example);
  expect(uploaded).toMatchObject([{ externalId: 'example-delivery-terms', labels: ['example=true', 'topic=delivery'] }]);
});

test('a document of a team is not found as one of the example', async () => {
  expect(await findExampleDocuments(workspaceWith(ours).workspace)).toEqual([]);
  expect(await findExampleDocuments(workspaceWith(theirs).workspace)).toEqual(['example']);
});
