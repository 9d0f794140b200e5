/** Makes the environments of the peers, when asked: a virtual environment of Python or a folder of npm for each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { findModelDir } from '../../packages/server/src/search/embedding/model-files.ts';
import { describe, type Environment, environments, folderOf, pythonOf, recordOf, whyNotInstalled } from './environments.ts';

/** What fails is said, and the others go on. */
export async function installPeers(): Promise<void> {
  for (const environment of Object.values(environments) as Environment[]) {
    if (whyNotInstalled(environment) === undefined) {
      console.log(`${environment.name}: already there`);
      continue;
    }
    console.log(`${environment.name}: installing ${packagesOf(environment).join(', ')}`);
    try {
      await rm(folderOf(environment), { recursive: true, force: true });
      await mkdir(folderOf(environment), { recursive: true });
      await (environment.kind === 'python' ? installPython(environment) : installNpm(environment));
      await writeFile(recordOf(environment), describe(environment));
    } catch (error) {
      console.warn(`${environment.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
}

function packagesOf({ kind, packages }: Environment): string[] {
  return Object.entries(packages).map(([name, version]) => `${name}${kind === 'python' ? '==' : '@'}${version}`);
}

async function installPython(environment: Environment): Promise<void> {
  await run('python3', ['-m', 'venv', folderOf(environment)]);
  await run(pythonOf(environment), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packagesOf(environment)]);
  if (environment === environments.chroma) await giveModel(chromaHome());
}

async function installNpm(environment: Environment): Promise<void> {
  const { packages, allowScripts = [] } = environment;
  const folder = folderOf(environment);
  const allowed = Object.fromEntries(allowScripts.map((name) => [name, true]));
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: packages, allowScripts: allowed }),
  );
  await run('npm', ['install', '--no-audit', '--no-fund', '--omit=dev', '--loglevel=error'], folder);
}

/** The home that Chroma's client is given. It looks there for its model, and fetches it from the network where it is missing. */
export function chromaHome(): string {
  return join(folderOf(environments.chroma), 'home');
}

/** The model of the service, which is the one that Chroma uses, in fewer bits: all peers embed by the same file. */
async function giveModel(home: string): Promise<void> {
  const folder = join(home, '.cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx');
  await mkdir(folder, { recursive: true });
  await copyFile(join(findModelDir(), 'onnx/model_quantized.onnx'), join(folder, 'model.onnx'));
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json'])
    await copyFile(join(findModelDir(), file), join(folder, file));
  // Looked for, and not read.
  await writeFile(join(folder, 'special_tokens_map.json'), '{}');
  await writeFile(join(folder, 'vocab.txt'), '');
}

async function run(program: string, args: readonly string[], cwd?: string): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd, env: { ...process.env, PATH: ordinaryPath() } });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ${args.slice(0, 3).join(' ')} … ended with ${code}`);
}

/** Without the folders that npm puts in front: what is built is built for the Node of the machine. */
function ordinaryPath(): string {
  const isOurs = (folder: string) => folder.includes('node_modules') || folder === dirname(process.execPath);
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !isOurs(folder))
    .join(delimiter);
}
