import type { Message } from '@commonplace/client';
import { useState } from 'react';
import { useCan } from '../../../api/permissions.ts';
import { Button } from '../../../design/button.tsx';
import { ErrorNotice } from '../../../design/error-notice.tsx';
import { Select, TextArea } from '../../../design/field.tsx';
import { Form } from '../../../design/form.tsx';
import { isApple } from '../../../shell/shortcuts.ts';
import { BY_TOUCH, useMedia } from '../../../shell/use-media.ts';
import { roleOptions } from './edit-message.tsx';
import { useWriteMessage } from './message-changes.ts';

const MOST_ROWS = 8;

/** Writes a message, as an agent or its user would by the API. */
export function Compose({ onSent }: { readonly onSent: () => void }) {
  const [role, setRole] = useState<Message['role']>('user');
  const [content, setContent] = useState('');
  const canWrite = useCan('CAN_CREATE_SESSION_MESSAGE');
  const write = useWriteMessage();
  const byTouch = useMedia(BY_TOUCH);
  const send = () => {
    if (content.trim() === '' || write.isPending) return;
    write.mutate(
      { role, content },
      {
        onSuccess: () => {
          setContent('');
          onSent();
        },
      },
    );
  };
  if (!canWrite) return <p className="compose muted small">Your role in this workspace can read this session, and not write to it.</p>;
  return (
    <Form
      className="compose stack tight"
      aria-label="Write a message"
      onSubmit={() => {
        send();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        send();
      }}
    >
      {write.error && <ErrorNotice error={write.error} />}
      <div className="compose-line">
        <Select
          label="Role"
          hideLabel
          className="auto"
          options={roleOptions}
          value={role}
          onChange={(event) => setRole(event.target.value as Message['role'])}
        />
        <TextArea
          label="Message"
          hideLabel
          dir="auto"
          rows={Math.min(MOST_ROWS, Math.max(1, content.slice(0, 2_000).split('\n').length))}
          placeholder={byTouch ? 'Write a message' : `Write a message (${isApple ? '⌘' : 'Ctrl'} Enter sends it)`}
          value={content}
          onChange={(event) => setContent(event.target.value)}
        />
        <Button variant="primary" type="submit" busy={write.isPending && 'Sending'} disabled={content.trim() === ''}>
          Send
        </Button>
      </div>
    </Form>
  );
}
