/** How a program gets the prompt, with the real ids and a key to fill in. */

export interface SnippetFacts {
  readonly serviceUrl: string;
  readonly workspaceId: string;
  readonly handle: string;
  readonly type: 'text' | 'chat';
  readonly variables: readonly string[];
}

const MOST_VARIABLES = 8;

export function curlSnippet({ serviceUrl, workspaceId, handle, variables }: SnippetFacts): string {
  const values = Object.fromEntries(variables.slice(0, MOST_VARIABLES).map((name) => [name, '…']));
  const path = `${serviceUrl}/api/v1/workspaces/${workspaceId}/promptsByName/${handle}`;
  return `# As it stands
curl "${path}?version=production" \\
  -H "X-Access-Key: $COMMONPLACE_ACCESS_KEY"

# Filled in by the service
curl "${path}/render?version=production" \\
  -H "X-Access-Key: $COMMONPLACE_ACCESS_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ variables: values })}'`;
}

export function typescriptSnippet({ serviceUrl, workspaceId, handle, type, variables }: SnippetFacts): string {
  const values = variables.slice(0, MOST_VARIABLES).map((name) => `  ${JSON.stringify(name)}: '…',`);
  const given = values.length === 0 ? '' : `{\n${values.join('\n')}\n}`;
  return `import { Commonplace } from '@commonplace/client';

const commonplace = new Commonplace({
  baseUrl: '${serviceUrl}',
  workspaceId: '${workspaceId}',
  accessKey: process.env.COMMONPLACE_ACCESS_KEY,
});
const prompt = await commonplace.prompts.get('${handle}', { version: 'production' });
const ${type === 'chat' ? 'messages' : 'text'} = prompt.${type === 'chat' ? 'renderMessages' : 'render'}(${given});`;
}

export function pythonSnippet({ serviceUrl, workspaceId, handle, type, variables }: SnippetFacts): string {
  const values = variables.slice(0, MOST_VARIABLES).map((name) => `        ${JSON.stringify(name)}: "…",`);
  const given = values.length === 0 ? '{}' : `{\n${values.join('\n')}\n    }`;
  return `import os, requests

response = requests.post(
    "${serviceUrl}/api/v1/workspaces/${workspaceId}/promptsByName/${handle}/render",
    params={"version": "production"},
    headers={"X-Access-Key": os.environ["COMMONPLACE_ACCESS_KEY"]},
    json={"variables": ${given}},
)
response.raise_for_status()
${type === 'chat' ? 'messages = response.json()["messages"]' : 'text = response.json()["text"]'}`;
}
