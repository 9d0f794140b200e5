import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../design/button.tsx';
import { Dialog } from '../../../design/dialog.tsx';
import { Notice } from '../../../design/feedback.tsx';
import { Checkbox, Select, TextField } from '../../../design/field.tsx';
import type { Operation, Reference } from '../document.ts';
import { MethodBadge, PathText } from '../method-badge.tsx';
import { schemeNames } from '../who-may-call.tsx';
import { AnswerView } from './answer-view.tsx';
import { COOKIE, fillCall, findProblem, useFormState } from './form-state.ts';
import { RequestFields } from './request-fields.tsx';
import { sendCall } from './send.ts';
import type { TypedKeys } from './typed-keys.ts';

interface TryDialogProps {
  readonly operation: Operation;
  readonly reference: Reference;
  readonly typedKeys: TypedKeys;
  readonly onClose: () => void;
}

/** What only reads: GET, and the searches that are sent as POST because a query can be long. */
const readsOnly = ({ method, parameters }: Operation) => method === 'GET' || !parameters.some(({ name }) => name === 'Idempotency-Key');

export function TryDialog({ operation, reference, typedKeys, onClose }: TryDialogProps) {
  const { state, change, setValue } = useFormState(operation);
  const [allowed, setAllowed] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const send = useMutation({
    mutationFn: () => {
      running.current?.abort();
      running.current = new AbortController();
      return sendCall(fillCall(operation, reference, state, typedKeys), running.current.signal);
    },
  });
  const problem = findProblem(operation, state);
  const harmless = readsOnly(operation);
  const submit = () => {
    if (!problem && (harmless || allowed) && !send.isPending) send.mutate();
  };
  const foot = (
    <>
      {!harmless && (
        <span className="grow">
          <Checkbox label="This changes data. Send it" checked={allowed} onChange={(event) => setAllowed(event.target.checked)} />
        </span>
      )}
      <Button type="submit" variant="primary" busy={send.isPending && 'Sending'} disabled={Boolean(problem) || !(harmless || allowed)}>
        Send request
      </Button>
    </>
  );
  return (
    <Dialog open wide onClose={onClose} title={operation.summary} onSubmit={submit} foot={foot}>
      <div className="stack">
        <div className="docs-endpoint">
          <MethodBadge method={operation.method} />
          <PathText path={operation.path} />
        </div>
        <Caller operation={operation} caller={state.caller} typedKeys={typedKeys} onChange={(caller) => change({ caller })} />
        <RequestFields operation={operation} state={state} change={change} setValue={setValue} />
        {problem && (
          <p className="help" role="status">
            {problem}
          </p>
        )}
        {send.error && (
          <Notice tone="danger" icon="alert">
            <strong>The request did not get through.</strong> {send.error.message}
          </Notice>
        )}
        {send.data && <AnswerView sent={send.data} />}
      </div>
    </Dialog>
  );
}

interface CallerProps {
  readonly operation: Operation;
  readonly caller: string;
  readonly typedKeys: TypedKeys;
  readonly onChange: (caller: string) => void;
}

function Caller({ operation, caller, typedKeys, onChange }: CallerProps) {
  if (operation.schemes.length === 0) return <p className="help">Anyone may call this. Your sign-in is not sent along.</p>;
  const options = [COOKIE, 'AccessKey', 'ApiKey'].filter((name) => operation.schemes.includes(name));
  return (
    <div className="fields">
      <Select
        label="Caller"
        value={caller}
        options={options.map((name) => ({ value: name, label: schemeNames[name] ?? name }))}
        onChange={(event) => onChange(event.target.value)}
        help={caller === COOKIE ? 'You, as you are signed in here.' : undefined}
      />
      {caller !== COOKIE && (
        <TextField
          label={schemeNames[caller] ?? caller}
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={typedKeys.of(caller)}
          onChange={(event) => typedKeys.set(caller, event.target.value)}
          help="Kept in the memory of this page only, and gone when you leave it."
        />
      )}
    </div>
  );
}
