import { Select, TextField } from '../../design/field.tsx';
import { givenValue } from '../prompt/template.ts';
import { latestOf } from '../prompt/use-versions.ts';
import type { AgentPrompt } from './use-subject.ts';

const MOST_FIELDS = 50;

interface PromptFieldsProps {
  readonly prompt: AgentPrompt;
  readonly version: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly onVariables: (variables: Readonly<Record<string, string>>) => void;
  readonly onChoose: (changes: { readonly version: string | undefined }) => void;
}

/** Which version of the agent's prompt, and values for its variables. */
export function PromptFields({ prompt, version = 'latest', variables, onVariables, onChoose }: PromptFieldsProps) {
  const numbers = prompt.versions.map((one) => ({ value: String(one.version), label: `v${one.version}` }));
  const latest = latestOf(prompt.versions)?.version;
  const isOther = version !== 'latest' && version !== 'production' && !numbers.some(({ value }) => value === version);
  return (
    <>
      <Select
        label="Prompt version"
        help={prompt.name}
        value={version}
        onChange={(event) => onChoose({ version: event.target.value === 'latest' ? undefined : event.target.value })}
        options={[
          { value: 'latest', label: latest === undefined ? 'Latest' : `Latest (v${latest})` },
          ...(prompt.productionVersion === null ? [] : [{ value: 'production', label: `Production (v${prompt.productionVersion})` }]),
          ...numbers,
          ...(isOther ? [{ value: version, label: version }] : []),
        ]}
      />
      {prompt.version?.variables.slice(0, MOST_FIELDS).map((name) => (
        <TextField
          key={name}
          label={name}
          placeholder="No value yet"
          dir="auto"
          value={givenValue(variables, name)}
          onChange={(event) => onVariables({ ...variables, [name]: event.target.value })}
        />
      ))}
    </>
  );
}
