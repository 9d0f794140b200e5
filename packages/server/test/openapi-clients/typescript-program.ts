/** A program in TypeScript that makes the planned calls through the generated types, one typed call for each. */
import type { PlannedCall } from './planned-calls.ts';

export function typescriptProgram(calls: readonly PlannedCall[]): string {
  return `import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const client = createClient<paths>({
  querySerializer: { object: { style: 'form', explode: true } },
});
function asForm(body: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (name === 'file') form.append(name, new Blob([value]), 'notes.txt');
    else form.append(name, value);
  }
  return form;
}
const outcomes: Record<string, { status: number; hasData: boolean; error?: unknown }> = {};
${calls.map(callOf).join('\n')}
console.log(JSON.stringify(outcomes));
`;
}

function callOf({ url, operationId, method, path, params, query, labels, body, form, lines, apiKey }: PlannedCall): string {
  const options = {
    baseUrl: url,
    params: {
      ...(Object.keys(params).length > 0 && { path: params }),
      ...((query || labels) && { query: { ...query, ...(labels && { labels }) } }),
    },
    ...(apiKey && { headers: { 'X-API-Key': apiKey, ...(lines && { 'Content-Type': lines.type }) } }),
  };
  const sent = sentOf({ ...(body && { body }), ...(form && { form }), ...(lines && { lines }) });
  const isText = ['getDocumentContent', 'exportWorkspace'].includes(operationId) ? `, parseAs: 'text'` : '';
  return `{
  const { response, data, error } = await client.${method}(${JSON.stringify(path)}, { ...${JSON.stringify(options)}${sent}${isText} });
  outcomes[${JSON.stringify(operationId)}] = { status: response.status, hasData: data !== undefined, error };
}`;
}

function sentOf({ body, form, lines }: Pick<PlannedCall, 'body' | 'form' | 'lines'>): string {
  if (lines) return `, body: ${JSON.stringify(lines.text)}, bodySerializer: (text: string) => text`;
  if (form) return `, body: ${JSON.stringify(form)}, bodySerializer: asForm`;
  return body ? `, body: ${JSON.stringify(body)}` : '';
}
