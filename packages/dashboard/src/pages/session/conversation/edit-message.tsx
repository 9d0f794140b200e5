import type { Message } from '@commonplace/client';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../design/button.tsx';
import { ErrorNotice } from '../../../design/error-notice.tsx';
import { Select, TextArea } from '../../../design/field.tsx';
import { roleNames } from '../session-view.ts';
import { useEditMessage } from './message-changes.ts';

export const roleOptions = Object.entries(roleNames).map(([value, label]) => ({ value, label }));

/** In the place of the text. What was extracted from it is looked at anew. */
export function EditMessage({ message, onDone }: { readonly message: Message; readonly onDone: () => void }) {
  const [content, setContent] = useState(message.content);
  const [role, setRole] = useState(message.role);
  const field = useRef<HTMLTextAreaElement>(null);
  const edit = useEditMessage(message);
  useEffect(() => field.current?.focus(), []);
  const save = () => {
    if (content.trim() === '' || edit.isPending) return;
    edit.mutate({ role, content }, { onSuccess: onDone });
  };
  return (
    <form
      className="stack tight edit-message"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          save();
        }
      }}
    >
      <TextArea
        label="Text of the message"
        hideLabel
        dir="auto"
        rows={Math.min(14, Math.max(3, Math.ceil(content.length / 80)))}
        value={content}
        onChange={(event) => setContent(event.target.value)}
        ref={field}
      />
      {edit.error && <ErrorNotice error={edit.error} />}
      <div className="row wrap">
        <Select
          label="Role"
          hideLabel
          className="auto"
          options={roleOptions}
          value={role}
          onChange={(event) => setRole(event.target.value as Message['role'])}
        />
        <span className="push row">
          <Button small onClick={onDone}>
            Cancel
          </Button>
          <Button small type="submit" busy={edit.isPending && 'Saving'} disabled={content.trim() === ''}>
            Save message
          </Button>
        </span>
      </div>
    </form>
  );
}
