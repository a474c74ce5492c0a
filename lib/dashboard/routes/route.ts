import type { DashboardRole } from '../api/basics.js';
import type { Visitor } from '../access.js';
import type { Call } from '../http/call.js';
import { failureOf } from '../http/failure-of.js';
import { Fields } from '../http/fields.js';
import { readBody } from '../http/read-body.js';
import { json, type Answer, type FrameworkResponse } from '../http/send.js';

/** One thing that can be asked. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Below `api/v1`. */
  readonly path: string;
  readonly role: DashboardRole;
  /** `taken`: it goes on answering by itself. */
  handle(asked: Asked): Answer | Promise<Answer | 'taken'> | 'taken';
}

/** What a route is asked, and by whom. */
export class Asked {
  constructor(
    readonly call: Call,
    readonly visitor: Visitor,
    readonly response: FrameworkResponse,
    /** Writes into the log who did what. */
    readonly did: (what: string) => void,
  ) {}

  /** Does it; what fails may have been done in part, and that belongs into the log as well. */
  async doing<T>(what: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      const { status, message } = failureOf(error);
      if (status >= 500) this.did(`${what}: failed, maybe after a part of it: ${message}`);
      throw error;
    }
  }

  query(...known: string[]): Fields {
    return Fields.ofQuery(this.call.query, known);
  }

  async body(...known: string[]): Promise<Fields> {
    return Fields.ofBody(await readBody(this.call), known);
  }
}

/** A route that is read. */
export function get(path: string, answer: (asked: Asked) => unknown): Route {
  return { method: 'GET', path, role: 'view', handle: async (asked) => json(await answer(asked)) };
}

/** A route that does something, or asks what it would do. */
export function post(path: string, role: DashboardRole, answer: (asked: Asked) => unknown): Route {
  return { method: 'POST', path, role, handle: async (asked) => json(await answer(asked)) };
}
