import { useEffect, useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Checkbox, Select, TextArea } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { BudgetField } from './budget-field.tsx';
import { pieceTypes } from './parts.ts';
import { PromptFields } from './prompt-fields.tsx';
import { budgetOf, includedParts, readLabels } from './request.ts';
import { type ContextPart, type ContextSearch, contextParts, tokenizers } from './search-params.ts';
import type { Subject } from './use-subject.ts';

interface RequestFormProps {
  readonly subject: Subject;
  readonly search: ContextSearch;
  readonly busy: boolean;
  /** What is chosen takes effect at once; an absent field goes back to how it is unless told. */
  readonly onChoose: (changes: { readonly [Name in keyof ContextSearch]?: ContextSearch[Name] | undefined }) => void;
  /** What is typed, when it is sent. */
  readonly onSubmit: (typed: Pick<ContextSearch, 'q' | 'labels' | 'variables'>) => void;
}

export function RequestForm({ subject, search, busy, onChoose, onSubmit }: RequestFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const question = useRef<HTMLTextAreaElement>(null);
  const [q, setQ] = useState(search.q ?? '');
  const [labels, setLabels] = useState(search.labels ?? '');
  const [variables, setVariables] = useState(search.variables ?? {});
  useEffect(() => setQ(search.q ?? ''), [search.q]);
  useEffect(() => setLabels(search.labels ?? ''), [search.labels]);
  useEffect(() => setVariables(search.variables ?? {}), [search.variables]);
  useShortcuts({ '/': () => question.current?.focus(), 'Mod+Enter': () => form.current?.requestSubmit() });
  const { agents, sessions, prompt } = subject;
  const included = includedParts(search);
  const toggle = (part: ContextPart, on: boolean) => {
    const next = contextParts.filter((other) => (other === part ? on : included.includes(other)));
    onChoose({ include: next.length === contextParts.length ? undefined : next.join(' ') });
  };
  const ofPerson = search.of === 'person';
  const wrong = readLabels(labels).wrong;
  return (
    <Form ref={form} className="card sticky context-form" aria-label="Request" onSubmit={() => onSubmit({ q, labels, variables })}>
      <div className="card-body fields">
        <div className="whole">
          <TextArea
            ref={question}
            label="Question"
            rows={3}
            maxLength={10_000}
            dir="auto"
            value={q}
            onChange={(event) => setQ(event.target.value)}
            help="Leave it empty to use the user’s latest message."
          />
        </div>
        <Select
          label="Agent"
          value={agents.chosen?.id ?? ''}
          onChange={(event) => onChoose({ agent: event.target.value, session: undefined, version: undefined, variables: undefined })}
          options={(agents.list ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
        <div className="field">
          <Segmented
            label="For"
            value={ofPerson ? 'person' : 'session'}
            onChange={(of) => onChoose({ of: of === 'person' ? 'person' : undefined })}
            items={[
              { value: 'session', label: 'A session' },
              { value: 'person', label: 'A person, by labels' },
            ]}
          />
          {ofPerson ? (
            <TextArea
              label="Labels"
              rows={2}
              spellCheck={false}
              placeholder="customer=holt-daughters"
              value={labels}
              onChange={(event) => setLabels(event.target.value)}
              help="A key=value on each line. Sessions that have all of them count."
              error={wrong.length > 0 ? `Not key=value: ${wrong[0]}` : undefined}
            />
          ) : (
            <Select
              label="Session"
              hideLabel
              value={sessions.chosen?.id ?? ''}
              disabled={!sessions.chosen}
              onChange={(event) => onChoose({ session: event.target.value })}
              options={(sessions.list ?? []).map(({ id, title, externalId }) => ({ value: id, label: title || externalId }))}
            />
          )}
        </div>
        <BudgetField value={budgetOf(search)} onSettle={(budget) => onChoose({ budget })} />
        <fieldset className="field plain-fieldset">
          <legend className="label">Include</legend>
          {pieceTypes.map(({ part, many, look }) => (
            <Checkbox
              key={part}
              checked={included.includes(part)}
              onChange={(event) => toggle(part, event.target.checked)}
              label={
                <span className="type">
                  {many} <i className={`swatch ${look}`} aria-hidden="true" />
                </span>
              }
            />
          ))}
        </fieldset>
        {prompt.value && included.includes('prompt') && (
          <PromptFields
            prompt={prompt.value}
            version={search.version}
            variables={variables}
            onVariables={setVariables}
            onChoose={onChoose}
          />
        )}
        <Select
          label="Tokenizer"
          value={search.tokenizer ?? tokenizers[0]}
          onChange={(event) => onChoose({ tokenizer: tokenizers.find((name) => name === event.target.value) })}
          options={tokenizers.map((name) => ({ value: name, label: name }))}
        />
      </div>
      <div className="context-submit">
        <Button type="submit" variant="primary" block busy={busy && 'Packing'}>
          Pack the context
        </Button>
      </div>
    </Form>
  );
}
