/** OpenAI's export of ChatGPT: `conversations.json`, or the unpacked folder with it, or with `conversations-000.json` and so on. */
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BranchNode, branchOf } from './chatgpt-branch.ts';
import { contentOf } from './chatgpt-content.ts';
import {
  digestOf,
  fieldOf,
  type Importer,
  type ImporterOptions,
  type Items,
  isLine,
  isObject,
  shortened,
  textField,
  timeOf,
} from './items.ts';
import { type FileRecord, parseRecord, readElements, UnreadableFile } from './records.ts';
import { SessionLines } from './session-lines.ts';

const FILE_NAME = /^conversations(-\d+)?\.json$/;
const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant']);

export const chatgpt: Importer = {
  agentName: 'ChatGPT',
  async *read(path, options) {
    for (const file of await filesOf(path)) yield* readFile(file, options);
  },
};

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) {
    if (/\.zip$/i.test(path)) throw new Error(`${path} is packed; unpack it, and name the folder`);
    return [path];
  }
  const names = (await readdir(path)).filter((name) => FILE_NAME.test(name)).sort();
  if (names.length === 0) throw new Error(`${path} has no conversations.json in it; is it the unpacked folder of an export?`);
  return names.map((name) => join(path, name));
}

async function* readFile(file: string, options: ImporterOptions): Items {
  const name = basename(file);
  try {
    for await (const record of readElements(file, ['conversations'], options.onRead)) yield* readConversation(record, name, options);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    yield { place: name, problem: error.message };
  }
}

async function* readConversation({ number, bytes }: FileRecord, name: string, options: ImporterOptions): Items {
  const parsed = parseRecord(bytes);
  const title = 'value' in parsed ? shortened(textField(parsed.value, 'title') ?? '', 60) : '';
  const place = `${name}, conversation ${number}${title && ` (“${title}”)`}`;
  const problem = (text: string) => ({ place, problem: text });
  if ('problem' in parsed) return yield problem(parsed.problem);
  const conversation = parsed.value;
  const mapping = fieldOf(conversation, 'mapping');
  if (!isObject(mapping)) return yield problem('it has no mapping of messages');
  const { nodes, damage } = branchOf(mapping, textField(conversation, 'current_node'));
  if (damage) yield problem(damage);
  const messages = nodes.flatMap((node) => messageOf(node, options.nowMs));
  if (messages.length === 0) return yield { ...problem('there is nothing in it to bring in'), isHarmless: damage === undefined };

  const times = messages.flatMap(({ ms }) => ms ?? []);
  const createdMs = timeOf(fieldOf(conversation, 'create_time'), options.nowMs) ?? times[0] ?? 0;
  const session = new SessionLines(
    {
      format: 'chatgpt',
      sourceId: textField(conversation, 'conversation_id', 'id') ?? digestOf((bytes as Buffer).toString()).toString('hex'),
      title: textField(conversation, 'title') ?? '',
      createdMs: Math.min(createdMs, ...times.slice(0, 1)),
      lastMs: times.reduce((latest, ms) => Math.max(latest, ms), createdMs),
      place,
    },
    options,
  );
  const first = session.begin();
  yield first;
  if (!isLine(first)) return;
  for (const [index, message] of messages.entries()) yield session.message({ ...message, place: `${place}, message ${index + 1}` });
  yield session.end();
}

/** What a reader of the conversation sees: not what tools said and were asked, nor what is hidden. */
function messageOf({ id, message }: BranchNode, nowMs: number) {
  const role = fieldOf(fieldOf(message, 'author'), 'role');
  const metadata = fieldOf(message, 'metadata');
  const recipient = fieldOf(message, 'recipient') ?? 'all';
  const isHidden = fieldOf(metadata, 'is_visually_hidden_from_conversation') === true || fieldOf(message, 'weight') === 0;
  if (!ROLES.has(role) || isHidden || recipient !== 'all') return [];
  const content = contentOf(fieldOf(message, 'content'));
  if (content.trim() === '') return [];
  const model = textField(metadata, 'model_slug');
  return [
    {
      sourceId: id,
      role: role as 'system' | 'user' | 'assistant',
      content,
      meta: model === undefined ? {} : { model: shortened(model, 100) },
      ms: timeOf(fieldOf(message, 'create_time'), nowMs),
    },
  ];
}
