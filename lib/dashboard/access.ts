import { HttpException } from '@nestjs/common';
import type { DashboardRole } from './api/basics.js';
import type { Authorized } from './dashboard-options.js';
import { ApiFailure } from './http/api-failure.js';
import type { Call } from './http/call.js';
import type { ResolvedSettings } from './resolve-dashboard-options.js';

/** Who asks, and what he may do. */
export interface Visitor {
  readonly user: string | undefined;
  readonly roles: ReadonlySet<DashboardRole>;
}

const allRoles: readonly DashboardRole[] = ['view', 'operate', 'enqueue'];
const longestName = 200;

/** Decides for each request who may do what. Closed unless the application says who may enter. */
export class Access {
  /** Why nobody may enter; undefined where somebody may. */
  readonly closedBecause: string | undefined;

  constructor(
    private readonly settings: ResolvedSettings,
    private readonly hasGuards: boolean,
    environment = process.env.NODE_ENV,
  ) {
    const isOpen = hasGuards || settings.authorize !== undefined || environment === 'development';
    if (!isOpen)
      this.closedBecause =
        'neither `guards` nor `authorize` says who may see it, and NODE_ENV is ' +
        `${environment === undefined ? 'not set' : `'${environment}'`}, not 'development'`;
  }

  /** Whether anybody who reaches the process may enter. */
  get isForAnybody(): boolean {
    return !this.hasGuards && !this.settings.authorize;
  }

  async visitor(call: Call): Promise<Visitor> {
    if (this.closedBecause !== undefined)
      throw new ApiFailure(403, 'CLOSED', 'the dashboard is closed; the log of the application says why');
    if (this.isForAnybody) refuseOtherNames(call);
    const { authorize, readOnly } = this.settings;
    const given = authorize ? await asked('authorize', () => authorize(call.request)) : allRoles;
    const roles = rolesOf(given);
    if (roles.size === 0) throw new ApiFailure(403, 'FORBIDDEN', 'you may not see this dashboard');
    return { user: await this.userOf(call), roles: readOnly ? new Set(['view']) : roles };
  }

  require(role: DashboardRole, { roles }: Visitor): void {
    if (roles.has(role)) return;
    if (this.settings.readOnly)
      throw new ApiFailure(
        403,
        'READ_ONLY',
        'this dashboard is for looking alone: its option `readOnly` is set',
      );
    throw new ApiFailure(403, 'FORBIDDEN', `this needs the role '${role}', which you do not have`);
  }

  private async userOf({ request }: Call): Promise<string | undefined> {
    const { user: named = ({ user }) => nameIn(user) } = this.settings;
    const user = await asked('user', () => named(request));
    return user === undefined || user === null ? undefined : String(user).slice(0, longestName);
  }
}

/**
 * What a guard has put at the request, as most write it: a text, or something that has one. First by what others cannot have
 * as well: a name is often chosen by the user himself, and could be that of somebody else.
 */
function nameIn(user: unknown): string | undefined {
  const { name, email, username, sub, id } = Object(user) as Readonly<Record<string, unknown>>;
  const who = [user, sub, id, email, username].map(nameOf).find((found) => found !== undefined);
  const called = nameOf(name);
  if (who === undefined || called === undefined || called === who) return who ?? called;
  return `${who} (${called})`;
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What the application throws opens nothing; where it is an answer of Nest's, as an UnauthorizedException, it is given. */
async function asked<T>(what: string, ask: () => T | Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    const isRefusal = cause instanceof HttpException && cause.getStatus() >= 400 && cause.getStatus() < 500;
    if (isRefusal) throw new ApiFailure(cause.getStatus(), 'FORBIDDEN', cause.message, { cause });
    throw new ApiFailure(
      500,
      'INTERNAL',
      `the option \`${what}\` failed; the log of the application says why`,
      { cause },
    );
  }
}

/** What the application answered, whatever it was: only what is known counts. */
function rolesOf(given: Authorized): ReadonlySet<DashboardRole> {
  const roles = allRoles.filter((role) => Array.isArray(given) && given.includes(role));
  return new Set(roles.length === 0 ? [] : ['view', ...roles]);
}

/**
 * While anybody may enter, a site of the web must not get in by giving its own name the address of this machine: names that it
 * could use have a dot and end in letters.
 */
function refuseOtherNames({ headers }: Call): void {
  const name = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (!/\.[a-z][a-z\d-]*\.?$/.test(name) || name.endsWith('.localhost')) return;
  const message = `without \`guards\` or \`authorize\` the dashboard answers at localhost and at addresses, not at ${name}`;
  throw new ApiFailure(403, 'CLOSED', message);
}
