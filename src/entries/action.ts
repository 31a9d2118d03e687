import { fail } from './action/failure.ts'
import { main } from './action/main.ts'
import { isPost, post } from './action/post.ts'

try {
  await (isPost() ? post() : main())
} catch (error) {
  fail(error)
}
