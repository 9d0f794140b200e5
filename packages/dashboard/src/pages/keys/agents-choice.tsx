import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { agentsQuery } from '../../api/queries.ts';
import { Loaded } from '../../design/feedback.tsx';
import { Checkbox, FieldError } from '../../design/field.tsx';
import { useFieldError, wrongGroup } from '../../design/form.tsx';
import { Segmented } from '../../design/tabs.tsx';

interface AgentsChoiceProps {
  readonly workspaceId: string;
  /** Undefined where the key reaches all of them. */
  readonly agentIds: readonly string[] | undefined;
  readonly error?: string | undefined;
  readonly onChange: (agentIds: readonly string[] | undefined) => void;
}

/** All agents, or only those that are ticked. */
export function AgentsChoice({ workspaceId, agentIds, error, onChange }: AgentsChoiceProps) {
  const id = useId();
  const wrong = useFieldError(id, error);
  const agents = useQuery(agentsQuery(workspaceId));
  const toggle = (id: string) => {
    const chosen = agentIds ?? [];
    onChange(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  };
  return (
    <fieldset
      className="field plain-fieldset"
      aria-labelledby={`${id}-label`}
      aria-describedby={wrong && `${id}-error`}
      {...(wrong && wrongGroup)}
    >
      <div className="row wrap">
        <span className="label" id={`${id}-label`}>
          Agents
        </span>
        <span className="push">
          <Segmented
            label="Agents that the key reaches"
            items={[
              { value: 'all', label: 'All agents' },
              { value: 'some', label: 'Only these' },
            ]}
            value={agentIds ? 'some' : 'all'}
            onChange={(value) => onChange(value === 'all' ? undefined : (agentIds ?? []))}
          />
        </span>
      </div>
      {agentIds && (
        <>
          <div className="card key-agents">
            <Loaded query={agents} skeletonLines={2}>
              {(choices) =>
                choices.map(({ id, name }) => (
                  <Checkbox key={id} label={<span dir="auto">{name}</span>} checked={agentIds.includes(id)} onChange={() => toggle(id)} />
                ))
              }
            </Loaded>
          </div>
          <div className="help">Other agents and their sessions are not there for this key, and it makes no agents.</div>
        </>
      )}
      {wrong && <FieldError id={`${id}-error`}>{wrong}</FieldError>}
    </fieldset>
  );
}
