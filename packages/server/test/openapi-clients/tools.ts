/** The programs that check the OpenAPI document and make clients from it, fetched once into a cache folder. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, runProgram } from '../cached-folder.ts';

/** `openapi-typescript` needs the compiler API that TypeScript 7 does not have. */
const NPM_PACKAGES = { '@redocly/cli': '2.73.0', 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0', typescript: '5.9.3' } as const;
const PYTHON_PACKAGES = ['openapi-python-client==0.29.1', 'mypy==2.4.1', 'types-python-dateutil==2.9.0.20261104'] as const;

const versionsOf = (values: readonly string[]) => values.map((value) => value.replaceAll(/[^\d.]/g, '')).join('-');

export interface NodeTools {
  readonly folder: string;
  /** Runs a program that one of the packages brings. */
  run(program: string, args: readonly string[], cwd?: string): Promise<string>;
}

export async function nodeTools(): Promise<NodeTools> {
  const folder = await cachedFolder(
    `openapi-node-${versionsOf(Object.values(NPM_PACKAGES))}`,
    (candidate) => existsSync(join(candidate, 'node_modules/.bin/openapi-typescript')),
    async (unfinished) => {
      mkdirSync(unfinished, { recursive: true });
      writeFileSync(join(unfinished, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies: NPM_PACKAGES }));
      await runProgram('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'], { cwd: unfinished });
    },
  );
  return {
    folder,
    run: (program, args, cwd = folder) => runProgram(process.execPath, [join(folder, 'node_modules/.bin', program), ...args], { cwd }),
  };
}

export interface PythonTools {
  /** Runs a module of the packages. */
  run(module: string, args: readonly string[], cwd: string): Promise<string>;
  /** Runs a file that finds the modules of a folder. */
  runFile(file: string, args: readonly string[], folder: string): Promise<string>;
}

/** Undefined where the machine has no Python 3 with `venv`. */
export async function pythonTools(): Promise<PythonTools | undefined> {
  try {
    await runProgram('python3', ['-c', 'import venv, ensurepip']);
  } catch {
    return undefined;
  }
  const cached = await cachedFolder(
    `openapi-python-${versionsOf(PYTHON_PACKAGES)}`,
    (candidate) => existsSync(join(candidate, 'installed')),
    async (unfinished) => {
      await runProgram('python3', ['-m', 'venv', unfinished]);
      await runProgram(join(unfinished, 'bin/python'), [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        ...PYTHON_PACKAGES,
      ]);
      writeFileSync(join(unfinished, 'installed'), '');
    },
  );
  const python = join(cached, 'bin/python');
  // The generator formats what it wrote by a program that stands beside it.
  const path = { PATH: `${join(cached, 'bin')}:${process.env.PATH}` };
  return {
    run: (module, args, cwd) => runProgram(python, ['-m', module, ...args], { cwd, env: path }),
    runFile: (file, args, folder) => runProgram(python, [file, ...args], { cwd: folder, env: { ...path, PYTHONPATH: folder } }),
  };
}
