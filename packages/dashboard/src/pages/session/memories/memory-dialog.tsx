import type { Memory } from '@commonplace/client';
import { useState } from 'react';
import { fieldErrors } from '../../../api/refusals.ts';
import { type MemoryKind, memoryKinds } from '../../../design/badge.tsx';
import { Button } from '../../../design/button.tsx';
import { Dialog } from '../../../design/dialog.tsx';
import { ErrorNotice } from '../../../design/error-notice.tsx';
import { Select, TextArea, TextField } from '../../../design/field.tsx';
import { showToast } from '../../../design/toast.tsx';
import { fromLocalTime, toLocalTime } from './local-time.ts';
import { useSaveMemory } from './memory-changes.ts';

const kindOptions = Object.entries(memoryKinds).map(([value, label]) => ({ value, label }));

/** Writes a memory by hand, or changes one. */
export function MemoryDialog({ memory, onClose }: { readonly memory?: Memory; readonly onClose: () => void }) {
  const [kind, setKind] = useState<MemoryKind>(memory?.kind ?? 'fact');
  const [content, setContent] = useState(memory?.content ?? '');
  const [expires, setExpires] = useState(memory?.expiresAt ? toLocalTime(memory.expiresAt) : '');
  const save = useSaveMemory(memory);
  const wrong = fieldErrors(save.error);
  const submit = () =>
    save.mutate(
      { kind, content, expiresAt: expires ? fromLocalTime(expires) : null },
      {
        onSuccess: () => {
          showToast(memory ? 'Memory changed' : 'Memory written', { note: 'It is yours: extraction leaves it alone.' });
          onClose();
        },
      },
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={memory ? 'Edit memory' : 'Write a memory'}
      lede="One short sentence in the third person works best: “User prefers aisle seats”."
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={save.isPending && 'Saving'} disabled={content.trim() === ''}>
            Save memory
          </Button>
        </>
      }
    >
      <TextArea
        label="What to remember"
        dir="auto"
        value={content}
        error={wrong.content}
        onChange={(event) => setContent(event.target.value)}
      />
      <div className="fields">
        <Select label="Kind" options={kindOptions} value={kind} onChange={(event) => setKind(event.target.value as MemoryKind)} />
        <TextField
          label="Expires"
          optional
          type="datetime-local"
          value={expires}
          error={wrong.expiresAt}
          onChange={(event) => setExpires(event.target.value)}
        />
      </div>
      {save.error && <ErrorNotice error={save.error} />}
    </Dialog>
  );
}
