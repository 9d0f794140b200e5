/** The two files for Docker Compose, held against the image and the settings of the service. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../../packages/server/src/config.ts';
import { imageSettings, readDockerfile, type Stage } from '../check/dockerfile.ts';
import { deployFolder, repository } from '../check/places.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly networks?: object;
}

const files = ['compose.yaml', 'compose.cluster.yaml'];
const read = (file: string) => parse(readFileSync(join(deployFolder, file), 'utf8'), { merge: true }) as Compose;
const image = imageSettings(readDockerfile(readFileSync(join(deployFolder, 'Dockerfile'), 'utf8')).at(-1) as Stage);
const hasCompose = (() => {
  try {
    execFileSync('docker', ['compose', 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test.each(files)('%s: every container is read-only, without rights, and reached from this machine alone', (file) => {
  for (const [name, service] of Object.entries(read(file).services)) {
    expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    for (const port of service.ports ?? []) expect(port, name).toMatch(/^127\.0\.0\.1:/);
  }
});

test.each(files)('%s: what a service names is there', (file) => {
  const { services, volumes, networks = {} } = read(file);
  for (const [name, service] of Object.entries(services)) {
    for (const volume of service.volumes ?? []) {
      const source = volume.split(':')[0] as string;
      if (source.startsWith('.')) expect(existsSync(join(deployFolder, source)), source).toBe(true);
      else expect(volumes, name).toHaveProperty(source);
    }
    for (const each of service.networks ?? []) expect(networks, name).toHaveProperty(each);
    for (const each of Object.keys(service.depends_on ?? {})) expect(services, name).toHaveProperty([each]);
    if (service.build) expect(existsSync(join(deployFolder, service.build.context, service.build.dockerfile))).toBe(true);
  }
});

test.each(files)('%s: the nodes are containers of the image', (file) => {
  const nodes = Object.values(read(file).services).filter((service) => service.image.startsWith('commonplace:'));
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
  for (const node of nodes) expect(node.image).toBe(`commonplace:\${IMAGE_TAG:-${version}}`);
  expect(nodes).toHaveLength(file === 'compose.yaml' ? 1 : 3);
  const names = settings.map(({ name }) => name as string);
  for (const { environment = {}, healthcheck, tmpfs, volumes = [], stop_grace_period } of nodes) {
    for (const name of Object.keys(environment)) expect(names).toContain(name);
    expect(healthcheck?.test).toEqual(['CMD', ...image.healthcheck]);
    // The folder of the image's volume, kept or not, belongs to its user.
    const { uid, gid } = image.user;
    expect([...volumes, ...(tmpfs ?? [])]).toEqual(
      expect.arrayContaining([file === 'compose.yaml' ? 'data:/data' : `/data:uid=${uid},gid=${gid}`]),
    );
    expect(tmpfs).toContain('/tmp');
    expect(Number.parseInt(stop_grace_period as string, 10)).toBeGreaterThan(30);
  }
});

test('the nodes of the cluster believe the proxy’s network, and the proxy knows them all', () => {
  const { services, networks } = read('compose.cluster.yaml');
  const nodes = Object.keys(services).filter((name) => name.startsWith('node-'));
  const proxied = [...readFileSync(join(deployFolder, 'haproxy.cfg'), 'utf8').matchAll(/^ {4}server (\S+) (\S+)$/gm)];
  expect(proxied.map(([, name, address]) => [name, address])).toEqual(nodes.map((name) => [name, `${name}:${image.port}`]));
  // What .env says goes first.
  const [, trusted] =
    /^\$\{COMMONPLACE_TRUSTED_PROXIES:-(.+)\}$/.exec(services['node-1']?.environment?.COMMONPLACE_TRUSTED_PROXIES ?? '') ?? [];
  expect(networks).toMatchObject({ inside: { ipam: { config: [{ subnet: trusted }] } } });
});

if (hasCompose)
  test('Docker Compose accepts both', () => {
    const env = { ...process.env, POSTGRES_PASSWORD: 'secret' };
    for (const file of files) execFileSync('docker', ['compose', '--file', join(deployFolder, file), 'config', '--quiet'], { env });
  });
