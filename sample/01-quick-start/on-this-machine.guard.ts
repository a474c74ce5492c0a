import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';

const ownAddresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
const ownNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whoever sits at this machine may do everything; a real application puts the guard of its administrators here. Not for use
 * behind a proxy on this machine: one that adds no forwarded header lets anybody pass.
 */
@Injectable()
export class OnThisMachineGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { socket, headers } = context.switchToHttp().getRequest<IncomingMessage>();
    // A web site can give its own name this machine's address: it is still called by that name.
    const name = (headers.host ?? '').replace(/:\d+$/, '');
    // A proxy on this machine asks for others.
    const isPassedOn = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
    return ownAddresses.includes(socket.remoteAddress ?? '') && ownNames.includes(name) && !isPassedOn;
  }
}
