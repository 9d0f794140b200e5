/** Items that exist, for the parameters of the declared routes: made by the routes themselves, from the examples of the documentation. */
import { paramNamesOf } from '../src/http/route.ts';
import type { TestApi } from './api.ts';
import { newScene, type Scene } from './matrix-callers.ts';
import { pathOf, type RouteOutline } from './matrix-paths.ts';

export interface FurnishedScene extends Scene {
  /** Values of path parameters, by name, that name something in this workspace. */
  readonly items: Readonly<Record<string, string>>;
}

/** The example of a body, by `POST /path`; undefined where the body is no JSON. */
export type Examples = ReadonlyMap<string, Record<string, unknown>>;

export async function bodyExamples(api: TestApi): Promise<Examples> {
  const { body: document } = await api.anonymous.get('/openapi.json');
  const examples = new Map<string, Record<string, unknown>>();
  for (const { method, path } of api.app.api.routes) {
    const operation = document.paths[`/api/v1${path.replace(/:(\w+)/g, '{$1}')}`][method.toLowerCase()];
    const example = operation.requestBody?.content['application/json']?.example;
    if (example) examples.set(`${method} ${path}`, example);
  }
  return examples;
}

export async function newFurnishedScene(api: TestApi, examples: Examples): Promise<FurnishedScene> {
  const scene = await newScene(api);
  const items = { workspaceId: scene.workspace.id, userId: scene.people.readonly.id };
  const { owner } = scene.workspace;
  return { ...scene, items: await furnish(api.app.api.routes, examples, items, (...request) => owner.post(...request)) };
}

type Post = (
  path: string,
  payload: unknown,
  headers?: Record<string, string>,
) => Promise<{ readonly status: number; readonly body: Record<string, string> }>;

/** Where `POST …/agents` makes something and `…/agents/:agentId` names one, the one fills the other. `given` is there already. */
export async function furnish(
  declared: readonly RouteOutline[],
  examples: Examples,
  given: Readonly<Record<string, string>>,
  post: Post,
): Promise<Record<string, string>> {
  const items: Record<string, string> = { ...given };
  const routes = declared.toSorted((one, other) => one.path.length - other.path.length);
  for (const { method, path, upload } of routes) {
    if (method !== 'POST' || path === '/workspaces' || !paramNamesOf(path).every((name) => items[name])) continue;
    const param = routes.map((other) => new RegExp(`^${path}/:(\\w+)$`).exec(other.path)?.[1]).find(Boolean);
    if (!param || items[param]) continue;
    const form =
      upload &&
      formOf([
        { name: 'title', content: 'A title' },
        { name: upload.file, filename: 'notes.txt', content: 'Some text' },
      ]);
    const payload = form ? form.text : examples.get(`POST ${path}`);
    const { status, body } = await post(pathOf({ path }, items), payload, form && { 'content-type': form.type });
    const id = body?.[param] ?? body?.id;
    if (status !== 201 || id === undefined) continue;
    items[param] = id;
    if (body.token) items.token ??= body.token;
    if (param === 'promptId' && body.name) items.promptName = body.name;
  }
  return items;
}

export interface FormPart {
  readonly name: string;
  readonly filename?: string;
  readonly content: string;
}

/** A form with a file, as its bytes go over the wire. */
export function formOf(parts: readonly FormPart[], boundary = 'boundary'): { text: string; type: string } {
  const lines = parts.map(({ name, filename, content }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/octet-stream`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  });
  return { text: `${lines.join('')}--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` };
}
