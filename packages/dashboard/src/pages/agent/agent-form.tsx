import type { Agent } from '@commonplace/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { useCan } from '../../api/permissions.ts';
import { agentQuery, promptsQuery } from '../../api/queries.ts';
import { fieldErrors } from '../../api/refusals.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Notice } from '../../design/feedback.tsx';
import { Select, TextArea, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { LabelFields } from '../../design/label-fields.tsx';
import { Card } from '../../design/page.tsx';
import { Switch } from '../../design/switch.tsx';
import { showToast } from '../../design/toast.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { carriedOver, changesOf, draftOf, isChanged } from './draft.ts';

const shown = ['name', 'description', 'promptId', 'configs.memorySubject', 'kbLabels'];
const isShown = (path: string) => shown.some((field) => path === field || path.startsWith(`${field}.`));

/** Everything that can be changed of an agent, saved together. */
export function AgentForm({ agent }: { readonly agent: Agent }) {
  const queryClient = useQueryClient();
  const mayChange = useCan('CAN_UPDATE_AGENT');
  const [draft, setDraft] = useState(() => draftOf(agent));
  const [begun, setBegun] = useState(agent);
  if (agent !== begun) {
    setBegun(agent);
    setDraft(carriedOver(draft, begun, agent));
  }
  const { data: prompts = [] } = useQuery(promptsQuery(agent.workspaceId));
  const save = useMutation({
    mutationFn: () => client.workspace(agent.workspaceId).agents.update(agent.id, changesOf(draft, begun)),
    onSuccess: async (saved) => {
      queryClient.setQueryData(agentQuery(agent.workspaceId, agent.id).queryKey, saved);
      setDraft(draftOf(saved));
      await queryClient.invalidateQueries({ queryKey: ['workspace', agent.workspaceId, 'agents'] });
      showToast(`${saved.name} is saved`);
    },
  });
  const form = useRef<HTMLFormElement>(null);
  const changed = isChanged(draft, agent);
  const submit = () => {
    if (mayChange && changed && !save.isPending) save.mutate();
  };
  useShortcuts({ 'Mod+Enter': () => form.current?.requestSubmit() });
  const errors = fieldErrors(save.error);
  const labelError = Object.entries(errors).find(([path]) => path.startsWith('kbLabels'))?.[1];
  const promptChoices = prompts.map(({ promptId, name }) => ({ value: promptId, label: name }));
  const chosen = draft.promptId;
  const known = !chosen || promptChoices.some(({ value }) => value === chosen);
  return (
    <Form ref={form} className="stack" onSubmit={submit}>
      {!mayChange && <Notice>Your role sees agents and does not change them. An owner or admin can.</Notice>}
      <fieldset className="plain-fieldset stack" disabled={!mayChange}>
        <Card title="About">
          <div className="stack">
            <div className="fields">
              <TextField
                label="Name"
                value={draft.name}
                onChange={(event) => setDraft({ ...draft, name: event.target.value })}
                error={errors.name}
                maxLength={100}
                dir="auto"
                required
              />
              <Select
                label="Status"
                options={[
                  { value: 'active', label: 'Active' },
                  { value: 'archived', label: 'Archived' },
                ]}
                value={draft.status}
                onChange={(event) => setDraft({ ...draft, status: event.target.value as Agent['status'] })}
              />
            </div>
            <TextArea
              label="Description"
              optional
              value={draft.description}
              onChange={(event) => setDraft({ ...draft, description: event.target.value })}
              error={errors.description}
              maxLength={2000}
              dir="auto"
            />
            <Select
              label="Prompt"
              options={[{ value: '', label: 'None' }, ...promptChoices, ...(known ? [] : [{ value: chosen, label: chosen }])]}
              value={chosen}
              onChange={(event) => setDraft({ ...draft, promptId: event.target.value })}
              error={errors.promptId}
              help="Its latest version comes first in the context of a session, unless the request names another."
            />
          </div>
        </Card>
        <Card title="Memory">
          <div className="stack">
            <Switch
              label="Remember what is said"
              help="Each message is read in the background, and facts, preferences and a summary are kept of it. Off, messages are stored and found, and nothing is drawn from them; what is remembered already stays."
              checked={draft.memoryPipeline}
              onChange={(event) => setDraft({ ...draft, memoryPipeline: event.target.checked })}
            />
            <TextField
              label="Label that names a person"
              optional
              value={draft.memorySubject}
              onChange={(event) => setDraft({ ...draft, memorySubject: event.target.value })}
              error={errors['configs.memorySubject']}
              help="The key of a label of its sessions, such as customer. Sessions with the same value share what is remembered; without it each session remembers for itself."
              className="mono"
              maxLength={64}
              spellCheck={false}
              autoComplete="off"
            />
          </div>
        </Card>
        <Card title="Knowledge">
          <LabelFields
            label="Only documents with these labels"
            help="The agent finds documents that have all of them. Without any it finds every document of the workspace."
            rows={draft.kbLabels}
            error={labelError}
            disabled={!mayChange}
            onChange={(kbLabels) => setDraft({ ...draft, kbLabels })}
          />
        </Card>
      </fieldset>
      {save.error && !Object.keys(errors).some(isShown) && <ErrorNotice error={save.error} />}
      {mayChange && (
        <div className="row">
          <Button type="submit" variant="primary" busy={save.isPending && 'Saving'} disabled={!changed}>
            Save changes
          </Button>
          {changed && (
            <Button variant="ghost" onClick={() => setDraft(draftOf(agent))}>
              Discard changes
            </Button>
          )}
        </div>
      )}
    </Form>
  );
}
