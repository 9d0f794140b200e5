import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { meQuery } from '../../../api/queries.ts';
import { isStatus } from '../../../api/refusals.ts';
import { Button } from '../../../design/button.tsx';
import { Dialog } from '../../../design/dialog.tsx';
import { Notice } from '../../../design/feedback.tsx';
import { Checkbox } from '../../../design/field.tsx';
import type { Operation, Reference } from '../document.ts';
import { MethodBadge, PathText } from '../method-badge.tsx';
import { AnswerView } from './answer-view.tsx';
import { Caller } from './caller.tsx';
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
  const me = useQuery({ ...meQuery, enabled: operation.schemes.includes(COOKIE) });
  const signedIn = me.data ? true : isStatus(me.error, 401) ? false : undefined;
  // Said once it was tried, and not before anything was touched.
  const [needsCaller, setNeedsCaller] = useState(false);
  const problem = findProblem(operation, state);
  const harmless = readsOnly(operation);
  const submit = () => {
    const hasNoCaller = state.caller === COOKIE && signedIn === false;
    setNeedsCaller(hasNoCaller);
    if (!hasNoCaller && !problem && (harmless || allowed) && !send.isPending) send.mutate();
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
        <Caller
          operation={operation}
          caller={state.caller}
          signedIn={signedIn}
          isMissing={needsCaller && signedIn === false}
          typedKeys={typedKeys}
          onChange={(caller) => change({ caller })}
        />
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
