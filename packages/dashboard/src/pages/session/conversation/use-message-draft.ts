import type { Message } from '@commonplace/client';
import { useRef, useState } from 'react';
import { useEditMessage } from './message-changes.ts';

type Draft = Pick<Message, 'id' | 'role' | 'content'>;

/** The message that is edited. It is kept beside the rows: a row that leaves the screen is gone with all it held. */
export function useMessageDraft(onClosed: (messageId: string) => void) {
  const [draft, setDraft] = useState<Draft>();
  const wantsFocus = useRef(false);
  const edit = useEditMessage();
  const close = (id = draft?.id) => {
    if (id === undefined) return;
    setDraft((before) => (before?.id === id ? undefined : before));
    onClosed(id);
  };
  return {
    draft,
    error: edit.error,
    isSaving: edit.isPending,
    open: ({ id, role, content }: Message) => {
      if (draft?.id === id) return;
      edit.reset();
      wantsFocus.current = true;
      setDraft({ id, role, content });
    },
    change: (changes: Partial<Pick<Draft, 'role' | 'content'>>) => setDraft((before) => before && { ...before, ...changes }),
    close: () => close(),
    save: () => {
      if (!draft || draft.content.trim() === '' || edit.isPending) return;
      edit.mutate(draft, { onSuccess: () => close(draft.id) });
    },
    /** True once after it was opened; later only where nothing else has the focus. */
    takeFocus: (): boolean => {
      const takes = wantsFocus.current || document.activeElement === document.body;
      wantsFocus.current = false;
      return takes;
    },
  };
}

export type MessageDraft = ReturnType<typeof useMessageDraft>;
