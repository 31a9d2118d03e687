/** Amazon's own package, which has no types. */
declare module 'sns-validator' {
  export default class MessageValidator {
    validate(message: object, done: (error: Error | null, message?: object) => void): void
  }
}
