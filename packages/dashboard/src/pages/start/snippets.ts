/** What a person pastes to send the first message, with the real ids in it. A test runs each as it is shown. */

export interface SnippetFacts {
  readonly serviceUrl: string;
  readonly workspaceId: string;
  readonly agentId: string;
  readonly accessKey: string;
}

/** Stands where the key would, as long as none was made on this page. */
export const KEY_PLACEHOLDER = 'cpa_YOUR_ACCESS_KEY';

export const firstMessage = { sessionId: 'hello', content: 'I run a bakery in Graz, and I prefer deliveries before six.' } as const;

/** Without notes: the interactive shell of a Mac takes a line that begins with # for a command. */
export const curlSnippet = (facts: SnippetFacts) => `W=${facts.workspaceId}
A=${facts.agentId}
KEY=${facts.accessKey}
AGENT=${facts.serviceUrl}/api/v1/workspaces/$W/agents/$A

SESSION=$(curl -sS "$AGENT/sessions" -H "X-Access-Key: $KEY" \\
  -H 'Content-Type: application/json' -H 'Prefer: resolution=ignore-duplicates' \\
  -d '{"id": "${firstMessage.sessionId}"}' | grep -o '"id":"[^"]*"' | head -n 1 | cut -d '"' -f 4)

curl -sS "$AGENT/sessions/$SESSION/messages" -H "X-Access-Key: $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"role": "user", "content": "${firstMessage.content}"}'

for TRY in 1 2 3 4 5 6 7 8 9 10; do
  curl -sS "$AGENT/sessions/$SESSION/memories/status" -H "X-Access-Key: $KEY" \\
    | grep -q '"pending":0' && break
  sleep 1
done
echo; echo 'What is remembered of it:'
curl -sS "$AGENT/sessions/$SESSION/memories" -H "X-Access-Key: $KEY"; echo
`;

/** Without types, so that it is JavaScript as well and any Node runs it. */
export const fetchSnippet = (facts: SnippetFacts) => `const workspaceId = '${facts.workspaceId}';
const agentId = '${facts.agentId}';
const agent = \`${facts.serviceUrl}/api/v1/workspaces/\${workspaceId}/agents/\${agentId}\`;
const headers = {
  'X-Access-Key': '${facts.accessKey}',
  'Content-Type': 'application/json',
};

async function call(path, body, more) {
  const method = body ? 'POST' : 'GET';
  const answer = await fetch(agent + path, {
    method,
    headers: { ...headers, ...more },
    body: body && JSON.stringify(body),
  });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.errorMessage);
  return data;
}

// A session, by an id of your own: made, or found again.
const found = { Prefer: 'resolution=ignore-duplicates' };
const session = await call('/sessions', { id: '${firstMessage.sessionId}' }, found);
const at = \`/sessions/\${session.id}\`;
const content = '${firstMessage.content}';
await call(\`\${at}/messages\`, { role: 'user', content });

// What is remembered of it, a few seconds later.
for (let tries = 0; tries < 20; tries++) {
  if ((await call(\`\${at}/memories/status\`)).pending === 0) break;
  await new Promise((resolve) => setTimeout(resolve, 500));
}
const { memories } = await call(\`\${at}/memories\`);
for (const memory of memories) console.log(\`\${memory.kind}: \${memory.content}\`);
`;

export const clientSnippet = ({
  serviceUrl,
  workspaceId,
  agentId,
  accessKey,
}: SnippetFacts) => `import { Commonplace } from '@commonplace/client';

const commonplace = new Commonplace({
  baseUrl: '${serviceUrl}',
  workspaceId: '${workspaceId}',
  accessKey: '${accessKey}',
});
const agent = commonplace.agent('${agentId}');

// A session, by an id of your own: made, or found again.
const session = await agent.sessions.open({ id: '${firstMessage.sessionId}' });
const content = '${firstMessage.content}';
await session.messages.create({ role: 'user', content });

await session.memories.waitUntilExtracted({ timeoutMs: 60_000 });
for await (const memory of session.memories.list())
  console.log(\`\${memory.kind}: \${memory.content}\`);
`;

export const pythonSnippet = (facts: SnippetFacts) => `import json
import time
from urllib.request import Request, urlopen

W = "${facts.workspaceId}"
A = "${facts.agentId}"
KEY = "${facts.accessKey}"
AGENT = f"${facts.serviceUrl}/api/v1/workspaces/{W}/agents/{A}"
HEADERS = {"X-Access-Key": KEY, "Content-Type": "application/json"}


def call(path, body=None, **more):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(AGENT + path, data, {**HEADERS, **more})) as answer:
        return json.load(answer)


# A session, by an id of your own: made, or found again.
session = call("/sessions", {"id": "${firstMessage.sessionId}"},
               Prefer="resolution=ignore-duplicates")
at = "/sessions/" + session["id"]
content = "${firstMessage.content}"
call(at + "/messages", {"role": "user", "content": content})

# What is remembered of it, a few seconds later.
for _ in range(20):
    if call(at + "/memories/status")["pending"] == 0:
        break
    time.sleep(0.5)
for memory in call(at + "/memories")["memories"]:
    print(memory["kind"] + ": " + memory["content"])
`;

export type Editor = 'claude-code' | 'cursor' | 'vs-code';

/** What each calls the file, and the key that holds the servers. */
export const editors: Readonly<Record<Editor, { readonly label: string; readonly file: string; readonly serversKey: string }>> = {
  'claude-code': { label: 'Claude Code', file: '.mcp.json in your project', serversKey: 'mcpServers' },
  cursor: { label: 'Cursor', file: '.cursor/mcp.json in your project, or ~/.cursor/mcp.json', serversKey: 'mcpServers' },
  'vs-code': { label: 'VS Code', file: '.vscode/mcp.json in your project', serversKey: 'servers' },
};

export function mcpSnippet({ serviceUrl, agentId, accessKey }: SnippetFacts, editor: Editor): string {
  const headers = { Authorization: `Bearer ${accessKey}`, 'X-Agent-Id': agentId, 'X-Session-Id': firstMessage.sessionId };
  return `${JSON.stringify({ [editors[editor].serversKey]: { commonplace: { type: 'http', url: `${serviceUrl}/mcp`, headers } } }, null, 2)}\n`;
}
