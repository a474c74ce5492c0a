// Where the PostgreSQL of this machine is.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { findOrInstall, install } from './machine.mjs';

const debianFolder = '/usr/lib/postgresql';
const clusterSettings = '/etc/postgresql-common/createcluster.conf';

/** The newest server program; else the Debian package is installed; else it says what to type. */
export function findPostgres() {
  return findOrInstall(() => ofDebian() ?? onPath(), 'postgres', installServer, 'postgresql');
}

/** Debian keeps its servers side by side and off the path. */
function ofDebian() {
  if (!existsSync(debianFolder)) return undefined;
  return readdirSync(debianFolder)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => `${debianFolder}/${version}/bin/postgres`)
    .find((program) => existsSync(program));
}

function onPath() {
  const { status, stdout } = spawnSync('which', ['postgres'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** The server alone: the package would also make a cluster of its own. */
function installServer() {
  install('postgresql-common');
  if (existsSync(clusterSettings)) {
    const settings = readFileSync(clusterSettings, 'utf8');
    writeFileSync(
      clusterSettings,
      settings.replace(/^#?\s*create_main_cluster\s*=.*$/m, 'create_main_cluster = false'),
    );
  }
  install('postgresql');
}
