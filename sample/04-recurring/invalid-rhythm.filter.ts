import { BadRequestException, Catch, type ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { InvalidOptionError } from 'nestjs-jobs';

/** The rhythm comes from the request here, so a wrong one is the client's mistake. */
@Catch(InvalidOptionError)
export class InvalidRhythmFilter extends BaseExceptionFilter {
  override catch({ message }: InvalidOptionError, host: ArgumentsHost) {
    super.catch(new BadRequestException(message), host);
  }
}
