import type { PromptVersion } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { showToast } from '../../design/toast.tsx';
import { metaOf, withoutMark } from '../../example-data/marks.ts';
import { sameContent } from './chat.ts';
import { drafts, useKept } from './kept.ts';
import { refreshPrompts } from './queries.ts';

/** What is typed into the editor of a version, and saving it as the next one. */
export function useDraft(workspaceId: string, version: PromptVersion, onSaved: (number: number) => void) {
  const queryClient = useQueryClient();
  const draft = useKept(drafts, version.id);
  const content = draft?.content ?? version.content;
  const message = draft?.message ?? '';
  const changed = !sameContent(version.type, version.content, content);
  const keep = (next: { content: string; message: string }) => {
    const isEmpty = next.message === '' && sameContent(version.type, version.content, next.content);
    drafts.set(version.id, isEmpty ? undefined : { promptId: version.promptId, ...next });
  };
  const create = useMutation({
    mutationFn: () => {
      const { promptId, type, config } = version;
      const meta = withoutMark(metaOf(version));
      const commitMessage = message.trim() === '' ? null : message.trim();
      const body = { type, content, commitMessage, config: JSON.stringify(config), meta: meta === null ? null : JSON.stringify(meta) };
      return client.workspace(workspaceId).prompts.versions.create(promptId, body);
    },
    onSuccess: async (saved) => {
      drafts.set(version.id, undefined);
      await refreshPrompts(queryClient, workspaceId);
      onSaved(saved.version);
      showToast(`Saved as v${saved.version}`, { note: 'It is now the latest version.' });
    },
  });
  return {
    content,
    message,
    changed,
    saving: create.isPending,
    error: create.error,
    setContent: (next: string) => keep({ content: next, message }),
    setMessage: (next: string) => keep({ content, message: next }),
    discard: () => drafts.set(version.id, undefined),
    save: () => {
      if (changed && !create.isPending) create.mutate();
    },
  };
}
