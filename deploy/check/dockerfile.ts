/** Reads the Dockerfile: the part of the language that ours uses. What it does not know is an error, so that nothing is left out in silence. */

export interface Instruction {
  readonly name: (typeof NAMES)[number];
  /** `--from=build` as `from: build`. */
  readonly flags: Readonly<Record<string, string>>;
  /** What follows the flags, as it is written. */
  readonly text: string;
}

export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

const NAMES = [
  ...(['FROM', 'COPY', 'RUN', 'ENV', 'LABEL', 'WORKDIR', 'USER'] as const),
  ...(['VOLUME', 'EXPOSE', 'STOPSIGNAL', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'] as const),
];

/** What a container of the last stage is started with. */
export interface ImageSettings {
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly workingFolder: string;
  /** Both as numbers: a cluster can see that they are not root's. */
  readonly user: { readonly uid: number; readonly gid: number };
  readonly volumes: readonly string[];
  readonly port: number;
  readonly stopSignal: string;
  readonly healthcheck: readonly string[];
  readonly command: readonly string[];
}

export function readDockerfile(source: string): readonly Stage[] {
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const instruction of logicalLines(source).map(readInstruction)) {
    if (instruction.name === 'FROM') {
      const { base, name } = /^(?<base>\S+)(?: AS (?<name>\S+))?$/.exec(instruction.text)?.groups ?? fail(`FROM ${instruction.text}`);
      stages.push({ base: base as string, name, instructions: [] });
    } else (stages.at(-1) ?? fail('an instruction before FROM')).instructions.push(instruction);
  }
  return stages;
}

/** Lines joined where they end with a backslash; comments go, between joined lines too. */
function logicalLines(source: string): string[] {
  const kept = source.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  return kept.join('\n').replace(/\\\n/g, ' ').split('\n');
}

function readInstruction(line: string): Instruction {
  const [, word, rest] = /^(\S+)\s+(.*)$/.exec(line) ?? fail(line);
  const name = NAMES.find((each) => each === word) ?? fail(`the instruction ${word}`);
  const flags: Record<string, string> = {};
  let text = (rest as string).trim();
  for (let found = readFlag(text); found; found = readFlag(text)) {
    flags[found[1] as string] = found[2] as string;
    text = text.slice(found[0].length);
  }
  return { name, flags, text };
}

const readFlag = (text: string) => /^--([a-z-]+)=(\S+)\s+/.exec(text);

export function imageSettings({ instructions }: Stage): ImageSettings {
  const all = (name: Instruction['name']) => instructions.filter((each) => each.name === name).map(({ text }) => text);
  const one = (name: Instruction['name']) => all(name).at(-1) ?? fail(`no ${name} in the last stage`);
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(one('USER')) ?? fail(`USER ${one('USER')}: not two numbers`);
  return {
    environment: readPairs(all('ENV').join(' ')),
    labels: readPairs(all('LABEL').join(' ')),
    workingFolder: one('WORKDIR'),
    user: { uid: Number(uid), gid: Number(gid) },
    volumes: execForm(one('VOLUME')),
    port: Number(one('EXPOSE')),
    stopSignal: one('STOPSIGNAL'),
    healthcheck: execForm(one('HEALTHCHECK').replace(/^CMD /, '')),
    command: [...execForm(one('ENTRYPOINT')), ...execForm(one('CMD'))],
  };
}

/** `A=b C="d e"`. */
export function readPairs(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))(?:\s+|$)/g)];
  if (pairs.map(([whole]) => whole).join('') !== text) fail(text);
  return Object.fromEntries(pairs.map(([, name, quoted, plain]) => [name, quoted ?? plain]));
}

/** Without a shell, which the image does not have. */
function execForm(text: string): string[] {
  const words: unknown = text.startsWith('[') ? JSON.parse(text) : fail(`${text}: not in exec form`);
  return words as string[];
}

function fail(what: string): never {
  throw new Error(`The Dockerfile has what can't be read here: ${what}`);
}
