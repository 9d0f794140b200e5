import type { Message } from '@commonplace/client';
import { useEffect, useRef } from 'react';
import { Button } from '../../../design/button.tsx';
import { ErrorNotice } from '../../../design/error-notice.tsx';
import { Select, TextArea } from '../../../design/field.tsx';
import { Form } from '../../../design/form.tsx';
import { roleNames } from '../session-view.ts';
import type { MessageDraft } from './use-message-draft.ts';

export const roleOptions = Object.entries(roleNames).map(([value, label]) => ({ value, label }));

/** In the place of the text. What was extracted from it is looked at anew. */
export function EditMessage({ editor }: { readonly editor: MessageDraft }) {
  const { draft, error, isSaving, change, close, save, takeFocus } = editor;
  const content = draft?.content ?? '';
  const field = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it appears
  useEffect(() => {
    if (takeFocus()) field.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Form
      className="stack tight edit-message"
      onSubmit={() => {
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
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
        onChange={(event) => change({ content: event.target.value })}
        ref={field}
      />
      {error && <ErrorNotice error={error} />}
      <div className="row wrap">
        <Select
          label="Role"
          hideLabel
          className="auto"
          options={roleOptions}
          value={draft?.role ?? 'user'}
          onChange={(event) => change({ role: event.target.value as Message['role'] })}
        />
        <span className="push row">
          <Button small onClick={close}>
            Cancel
          </Button>
          <Button small type="submit" busy={isSaving && 'Saving'} disabled={content.trim() === ''}>
            Save message
          </Button>
        </span>
      </div>
    </Form>
  );
}
