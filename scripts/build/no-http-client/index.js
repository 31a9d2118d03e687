/** Stands in for the client with which `getIDToken` of @actions/core would ask for a token. */
export class HttpClient {
  constructor() {
    throw new Error('getIDToken is not part of this bundle')
  }
}

export { HttpClient as BearerCredentialHandler }
