import type { Session } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../design/button.tsx';
import { CodeBlock } from '../../../design/code.tsx';
import { ErrorNotice } from '../../../design/error-notice.tsx';
import { TextArea } from '../../../design/field.tsx';
import { Form } from '../../../design/form.tsx';
import { sessionKey, useSessionView } from '../session-view.ts';

/** Why a text is no JSON object; undefined where it is one. */
function complaintOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'Meta is an object: { … }';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function MetaEditor({ session, canEdit }: { readonly session: Session; readonly canEdit: boolean }) {
  const { place } = useSessionView();
  const [text, setText] = useState<string>();
  const queryClient = useQueryClient();
  const shown = JSON.stringify(session.meta, null, 2);
  const wrong = text === undefined ? undefined : complaintOf(text);
  const save = useMutation({
    mutationFn: (meta: string) => client.workspace(place.workspaceId).sessions.update(place.agentId, place.sessionId, { meta }),
    onSuccess: (changed) => {
      queryClient.setQueryData([...sessionKey(place), 'session'], changed);
      setText(undefined);
    },
  });
  return (
    <section className="stack tight" aria-label="Meta">
      <div className="row">
        <h2 className="section-title">Meta</h2>
        {canEdit && text === undefined && (
          <Button small variant="ghost" icon="edit" className="push" onClick={() => setText(shown)}>
            Edit meta
          </Button>
        )}
      </div>
      {text === undefined ? (
        <CodeBlock label="Session meta" text={shown} />
      ) : (
        <Form
          className="stack tight"
          onSubmit={() => {
            if (!wrong) save.mutate(text);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
          }}
        >
          <TextArea
            label="Meta as JSON"
            hideLabel
            className="mono"
            rows={8}
            spellCheck={false}
            value={text}
            error={wrong}
            onChange={(event) => setText(event.target.value)}
          />
          {save.error && <ErrorNotice error={save.error} />}
          <div className="row">
            <Button small className="push" onClick={() => setText(undefined)}>
              Cancel
            </Button>
            <Button small type="submit" disabled={wrong !== undefined} busy={save.isPending && 'Saving'}>
              Save meta
            </Button>
          </div>
        </Form>
      )}
    </section>
  );
}
