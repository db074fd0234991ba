;(function (exports) {
  function Store() {
    this.todos = []
    this.nextId = 1
  }
  Store.prototype.save = function (update, id) {
    var known = this.find(id)
    if (known === undefined) this.todos.push({ id: this.nextId++, title: update.title, completed: false })
    else for (var key in update) known[key] = update[key]
  }
  Store.prototype.find = function (id) {
    return this.todos.filter(function (todo) {
      return todo.id === id
    })[0]
  }
  Store.prototype.remove = function (test) {
    this.todos = this.todos.filter(function (todo) {
      return !test(todo)
    })
  }
  exports.Store = Store
})(window)
