import { apiVersion, type Session } from '../api/basics.js';
import { giveToken } from '../http/same-origin.js';
import { json } from '../http/send.js';
import type { ResolvedSettings } from '../resolve-dashboard-options.js';
import type { Route } from './route.js';

export function sessionRoute({ title, readOnly }: ResolvedSettings): Route {
  return {
    method: 'GET',
    path: 'session',
    role: 'view',
    handle({ call, visitor }) {
      const { token, headers } = giveToken(call);
      const session: Session = {
        apiVersion,
        title,
        user: visitor.user,
        roles: [...visitor.roles],
        isReadOnly: readOnly,
        token,
        answeredAt: Date.now(),
      };
      return json(session, 200, headers);
    },
  };
}
